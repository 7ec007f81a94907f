import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a folder under the system's temporary folder; it is removed when the test ends. */
export async function temporaryFolder(t: { teardown: (work: () => unknown) => void }): Promise<string> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'concordat-test-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}
