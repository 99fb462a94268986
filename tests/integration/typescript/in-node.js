/** Runs the scenario with the installed package. The given values are JSON in the first argument. */
import * as nemuri from "nemuri";

import { scenario } from "./scenario.js";

console.log(JSON.stringify(await scenario(nemuri, JSON.parse(process.argv[2]))));
