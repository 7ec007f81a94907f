/**
 * Writes what is made from the schema of the settings: the validator, the schema for editors and the documentation.
 *
 *   npx tsx src/gateway/app/config/make-settings.ts
 */
import { writeFile } from 'node:fs/promises'
import { settingsArtifacts } from './settings-artifacts.js'

const root = new URL('../../../../', import.meta.url)
for (const [path, text] of Object.entries(settingsArtifacts())) await writeFile(new URL(path, root), text)
