/**
 * Runs c8 with the settings of `.c8rc.json`. Files that contain only types produce no code and are left out.
 *
 *   npx tsx test/coverage.ts COMMAND...                  runs the command, adds its coverage to that in .tap/unit-coverage,
 *                                                        and checks it
 *   npx tsx test/coverage.ts report --reporter=html      shows the lines of the last run in coverage/
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Beginnings of top-level lines in files that contain only types. */
const typeLine = /^(?:$|\s|\/[/*]|[}\])|]|(?:export )?(?:type|interface)\b|import type\b)/

const typeFiles = ['src', 'generated'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !/(?:^|[\\/])dist[\\/]/.test(file))
    .map((file) => join(folder, file))
    .filter((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .every((line) => typeLine.test(line)),
    ),
)

const excluded = [
  ...typeFiles,
  '**/*.d.ts',
  '**/dist/**',
  // Code from ajv has a branch for each keyword of each schema; tests of values compare it with another validator.
  'generated/validators.js',
  // Browser code is tested in browsers, without coverage.
  'src/service/gateway/dashboard/assets/**',
]
const options = excluded.map((pattern) => `--exclude=${pattern}`)
const c8 = fileURLToPath(import.meta.resolve('c8/bin/c8.js'))
const args = [c8, ...options, ...process.argv.slice(2)]
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
process.exit(status ?? 1)
