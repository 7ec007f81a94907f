import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { cleanEnvironment } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Replaces what differs between two runs and between versions of the contract's file. */
const normalized = (line: string) =>
  line
    .replaceAll(/sha256 [0-9a-f]{12}…/g, 'SHA256')
    .replaceAll(/\d+ (?:ms|s)\b/g, 'DURATION')
    .replaceAll(/ +/g, ' ')
    .trim()

/** Copies the example, and links what `npm install` installs. */
async function installed(t: Test): Promise<string> {
  const cwd = join(await temporaryFolder(t), 'qa-stdio')
  await cp(join(root, 'examples/qa-stdio'), cwd, { recursive: true })
  await mkdir(join(cwd, 'node_modules/.bin'), { recursive: true })
  for (const name of ['typescript', '.bin/tsc'])
    await symlink(join(root, 'node_modules', name), join(cwd, 'node_modules', name))
  await symlink(join(root, 'bin/concordat.js'), join(cwd, 'node_modules/.bin/concordat'))
  return cwd
}

t.test('the language server of typescript has the known deviations, as the README shows', async (t) => {
  const cwd = await installed(t)
  const readme = await readFile(join(cwd, 'README.md'), 'utf8')
  const [install, other] = [...readme.matchAll(/^```sh\n(.*?)^```/gms)].map(([, lines = '']) => lines)
  t.match(install, /^npm install\nnpm run conform$/m)
  const run = (command: string) =>
    new Promise<{ readonly code: number | null; readonly out: string }>((resolve) => {
      const child = execFile('bash', ['-c', command], { cwd, env: cleanEnvironment() }, (_, stdout) =>
        resolve({ code: child.exitCode, out: stdout }),
      )
    })
  const { code, out } = await run('npm run --silent conform')
  t.equal(code, 0, out)
  const lines = new Set(out.split('\n').map(normalized))
  const [, shown = ''] = /^```text\n(.*?)^```/ms.exec(readme) ?? []
  t.ok(shown.split('\n').length > 10)
  for (const line of shown.split('\n').map(normalized)) if (line !== '…') t.ok(lines.has(line), line)
  const failing = await run(other?.replace('npm run', 'npm run --silent') ?? '')
  t.equal(failing.code, 1)
  t.match(failing.out, /documents\/after-line\n.*\n +rule +positions\.after-line/)
})
