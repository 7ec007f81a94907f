import { mkdtemp, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from './temporary-folder.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { READER_GUIDES, READER_INSTALLATION } = process.env

/** Who follows the guides, and with what. */
export interface Reader {
  /** The folder with README.md and `docs/`. */
  readonly guides: string
  /** True for this project, which the tests of the guides use; false for packages that were installed from archives. */
  readonly isProject: boolean
  /** Shell functions that stand for commands. */
  readonly functions: string
  /** Creates an empty folder in which commands and programs find the packages; it is removed when the test ends. */
  readonly newFolder: (t: { teardown: (work: () => unknown) => void }) => Promise<string>
}

const ofProject: Reader = {
  guides: root,
  isProject: true,
  functions: `npx() { shift; node '${join(root, 'bin', 'concordat.js')}' "$@"; }`,
  async newFolder(t) {
    const folder = await temporaryFolder(t)
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    return folder
  },
}

/** The reader of the tests of the guides. archives.test.ts runs them again for readers of the archives. */
export const reader: Reader =
  READER_GUIDES === undefined || READER_INSTALLATION === undefined
    ? ofProject
    : {
        guides: READER_GUIDES,
        isProject: false,
        functions: '',
        // The installation is removed by the test that made it.
        newFolder: () => mkdtemp(join(READER_INSTALLATION, 'reader-')),
      }
