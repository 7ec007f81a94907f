/**
 * Writes the files that are generated from the settings schema: validator, schema for editors, documentation.
 *
 *   npx tsx src/service/gateway/app/config/make-settings.ts
 */
import { writeFile } from 'node:fs/promises'
import { settingsArtifacts } from './settings-artifacts.js'

const root = new URL('../../../../../', import.meta.url)
for (const [path, text] of Object.entries(settingsArtifacts())) await writeFile(new URL(path, root), text)
