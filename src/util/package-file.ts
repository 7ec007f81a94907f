import { readFile } from 'node:fs/promises'

/** The package's own folder lies one level higher when the code is compiled to dist/. */
const packageFolders = ['../../', '../../../'].map((path) => new URL(path, import.meta.url))

/**
 * Reads a file that lies beside package.json.
 * @param name such as `openrpc.json`
 */
export async function readPackageFile(name: string): Promise<Buffer> {
  const [source, compiled] = packageFolders.map((folder) => new URL(name, folder)) as [URL, URL]
  return readFile(source).catch(() => readFile(compiled))
}
