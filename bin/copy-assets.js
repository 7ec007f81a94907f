// The last step of `npm run build`: copies what tsc leaves behind (JavaScript, SQL, the packed database) to dist/.
import { cpSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const isCompiled = /(?<!\.d)\.tsx?$|\.md$|\.sol$/

for (const folder of ['src', 'generated']) {
  cpSync(`${root}${folder}`, `${root}dist/${folder}`, {
    recursive: true,
    filter: (path) => !isCompiled.test(path),
  })
}
