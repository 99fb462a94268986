/** Prints what the tools of AsyncAPI and OpenAPI find wrong in the documents of some folders, one line each. */
const path = require("node:path");

const { fromFile, Parser } = require("@asyncapi/parser");
const { createConfig, lint } = require("@redocly/openapi-core");

const NEWER_VERSION_EXISTS = "asyncapi-latest-version";

async function validate(folder) {
  const bus = path.join(folder, "asyncapi.yaml");
  const { diagnostics } = await fromFile(new Parser(), bus).parse();
  for (const { path: place, message } of diagnostics.filter((each) => each.code !== NEWER_VERSION_EXISTS)) {
    console.log(`${bus}: ${place.join("/")}: ${message}`);
  }
  const api = path.join(folder, "openapi.yaml");
  const config = await createConfig({ extends: ["spec"] });
  for (const { message, location } of await lint({ ref: api, config })) {
    console.log(`${api}: ${location[0]?.pointer}: ${message}`);
  }
}

async function main() {
  for (const folder of process.argv.slice(2)) {
    await validate(folder);
  }
}

main();
