/** Prints what the tools of AsyncAPI and OpenAPI find wrong in the documents of a folder, one line each. */
const path = require("node:path");

const { fromFile, Parser } = require("@asyncapi/parser");
const { createConfig, lint } = require("@redocly/openapi-core");

const NEWER_VERSION_EXISTS = "asyncapi-latest-version";

async function main(folder) {
  const bus = await fromFile(new Parser(), path.join(folder, "asyncapi.yaml")).parse();
  for (const { code, path: place, message } of bus.diagnostics.filter((each) => each.code !== NEWER_VERSION_EXISTS)) {
    console.log(`asyncapi.yaml: ${code} at ${place.join("/")}: ${message}`);
  }
  const ref = path.join(folder, "openapi.yaml");
  for (const { ruleId, message, location } of await lint({ ref, config: await createConfig({ extends: ["spec"] }) })) {
    console.log(`openapi.yaml: ${ruleId} at ${location[0]?.pointer}: ${message}`);
  }
}

main(process.argv[2]);
