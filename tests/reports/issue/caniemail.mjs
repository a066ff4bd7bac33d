// Lints one HTML file against what mail clients support; prints the errors as JSON. Works offline.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const require = createRequire(process.argv[2]);
const { caniemail } = await import(pathToFileURL(require.resolve("caniemail")).href);
const found = caniemail({ clients: ["gmail.*", "outlook.windows"], html: readFileSync(process.argv[3], "utf8") });
const errors = [];
for (const [client, issues] of found.issues.errors) for (const issue of issues) errors.push([client, issue.title]);
console.log(JSON.stringify(errors));
