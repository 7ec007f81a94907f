// The last step of `npm run build`: copies the files that tsc does not compile (JavaScript, SQL, the packed database)
// to the dist/ of each package.
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const { workspaces } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const packages = workspaces.map((folder) => `${root}${folder}`)

/** Source, documentation, settings of tools, and files that a package ships as they are. */
const isNoAsset =
  /(?<!\.d)\.tsx?$|\.(?:md|sol|html)$|\/(?:LICENSE|(?:package|tsconfig|conformance)\.json|dist|node_modules)$/

/** Copies the assets of a folder, without those of the packages inside. */
function copyAssets(from, to) {
  const filter = (path) => !isNoAsset.test(path) && (path === from || !packages.includes(path))
  cpSync(from, to, { recursive: true, filter })
}

copyAssets(`${root}src`, `${root}dist/src`)
for (const folder of packages) {
  // A folder cannot be copied into itself, so each entry is copied by itself.
  for (const entry of readdirSync(folder)) copyAssets(`${folder}/${entry}`, `${folder}/dist/${entry}`)
}

// The service shows this page, and its package contains it.
cpSync(`${root}generated/reference.html`, `${root}src/service/gateway/dist/reference.html`)
