import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { temporaryFolder } from '../../../../support/temporary-folder.js'

const run = promisify(execFile)
const source = new URL('../../../../../src/service/gateway/util/load-once.ts', import.meta.url)

t.test('a module that could not be loaded while files were lacking is loaded by the next call', async (t) => {
  const folder = await temporaryFolder(t)
  const module = join(folder, 'module.mjs')
  const program = join(folder, 'program.mjs')
  await writeFile(module, 'export const value = 7')
  await writeFile(
    program,
    `import { closeSync, openSync } from 'node:fs'
    import { loadOnce } from ${JSON.stringify(source)}
    const load = loadOnce(() => import(${JSON.stringify(pathToFileURL(module))}))
    const opened = []
    let isFull = false
    while (!isFull) try { opened.push(openSync(import.meta.filename)) } catch { isFull = true }
    const failure = await load().catch(({ code }) => code)
    for (const file of opened) closeSync(file)
    const [{ value }, again] = await Promise.all([load(), load()])
    console.log(JSON.stringify({ failure, value, again: again.value }))`,
  )
  const limited = 'ulimit -n 256 && exec "$@"'
  const command = [process.execPath, '--import', import.meta.resolve('tsx'), program]
  const { stdout } = await run('/bin/sh', ['-c', limited, 'sh', ...command])
  t.same(JSON.parse(stdout), { failure: 'EMFILE', value: 7, again: 7 })
})
