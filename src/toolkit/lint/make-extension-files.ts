/**
 * Writes the extension guide and the editor schema.
 *
 *   npx tsx src/toolkit/lint/make-extension-files.ts
 */
import { writeFile } from 'node:fs/promises'
import { extensionFiles } from './extension-files.js'

const root = new URL('../../../', import.meta.url)
for (const [path, text] of Object.entries(extensionFiles())) await writeFile(new URL(path, root), text)
