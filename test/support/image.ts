import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cleanEnvironment } from './concordat-process.js'
import { temporaryFolder } from './temporary-folder.js'
import { isLong } from './test-length.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const commandMilliseconds = 600_000
const installed = 'node_modules'

/** Files and folders of the image: the path on this machine, and the name in the image's WORKDIR. */
export type ImageFiles = readonly (readonly [path: string, name: string])[]

/**
 * Returns the files that `deploy/Dockerfile` copies from its build stage. The long form runs the commands of that stage;
 * the short form uses the packages and the build of this tree, and only deletes the sources.
 */
export async function imageFiles(test: { teardown: (work: () => unknown) => void }): Promise<ImageFiles> {
  const [, first = '', second = ''] = (await readFile(join(root, 'deploy', 'Dockerfile'), 'utf8'))
    .replaceAll('\\\n', '')
    .split(/^FROM .*$/m)
  const commands = [...first.matchAll(/^RUN (.*)$/gm)].flatMap(([, line = '']) => line.split('&&'))
  const paths = [...second.matchAll(/^COPY --from=build (.*) \S+$/gm)].flatMap(([, from = '']) =>
    from.split(' '),
  )
  const names = paths.map((path) => path.replace('/opt/concordat/', ''))
  const folder = await temporaryFolder(test)
  if (isLong) {
    const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
    })
    await run('cp', ['--parents', ...stdout.trimEnd().split('\n'), folder], { cwd: root })
  } else await run('cp', ['--archive', ...names.filter((name) => name !== installed), folder], { cwd: root })
  const script = isLong ? commands : commands.filter((command) => command.trim().startsWith('find '))
  await run('sh', ['-c', script.join('&&')], {
    cwd: folder,
    env: cleanEnvironment({}),
    timeout: commandMilliseconds,
    maxBuffer: 2 ** 26,
  })
  return names.map((name) => [join(!isLong && name === installed ? root : folder, name), basename(name)])
}
