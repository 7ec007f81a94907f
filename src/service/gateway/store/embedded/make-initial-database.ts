/**
 * Creates `initial-database.br`: a PGlite cluster with the current tables, packed without duplicates and unused WAL. Run
 * it after a new migration or a new version of PGlite. With an outdated archive, the first start applies the missing
 * migrations.
 *
 *   npx tsx src/service/gateway/store/embedded/make-initial-database.ts
 */
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'
import { migrate } from '../migrate.js'
import { openEmbedded } from './embedded-connection.js'
import type { ArchiveHead } from './initial-database.js'

/** The smallest segment size of PostgreSQL. The default of 16 MB would be most of the folder. */
const WAL_SEGMENT_MB = 1
const WAL_SEGMENT_BYTES = WAL_SEGMENT_MB * 1024 * 1024
const WAL_PAGE_BYTES = 8192
/** Offset of the last checkpoint's position in `global/pg_control` (ControlFileData). */
const CHECKPOINT_OFFSET = 32

async function makeCluster(folder: string): Promise<void> {
  const db = await PGlite.create({
    dataDir: folder,
    initDbStartParams: [`--wal-segsize=${WAL_SEGMENT_MB}`],
    // initdb uses these settings as well; they limit the WAL that it leaves behind.
    postgresqlconf: ['min_wal_size=2MB', 'max_wal_size=32MB'],
  })
  // Templates are not needed, because no further database is created. They are two thirds of the files.
  for (const template of ['template0', 'template1']) {
    await db.exec(`update pg_database set datistemplate = false where datname = '${template}'`)
    await db.exec(`drop database ${template}`)
  }
  await db.close()
  const connection = await openEmbedded(Promise.resolve(folder))
  await migrate(connection)
  await connection.query('vacuum (freeze)')
  // The checkpoint's segment is kept, so it starts empty.
  await connection.query('select pg_switch_wal()')
  await connection.query('checkpoint')
  await connection.close()
  await writeFile(join(folder, 'postgresql.conf'), '# Settings are passed when the database is opened.\n')
}

/** Removes recycled WAL segments and the data after the last checkpoint. */
async function trimWal(folder: string): Promise<void> {
  const control = await readFile(join(folder, 'global/pg_control'))
  const checkpoint = Number(control.readBigUInt64LE(CHECKPOINT_OFFSET))
  const number = Math.floor(checkpoint / WAL_SEGMENT_BYTES)
  const current = `0000000100000000${number.toString(16).toUpperCase().padStart(8, '0')}`
  for (const name of await readdir(join(folder, 'pg_wal'))) {
    if (/^[0-9A-F]{24}$/.test(name) && name !== current) await rm(join(folder, 'pg_wal', name))
  }
  const path = join(folder, 'pg_wal', current)
  const segment = await readFile(path)
  const used = (Math.floor((checkpoint % WAL_SEGMENT_BYTES) / WAL_PAGE_BYTES) + 1) * WAL_PAGE_BYTES
  // The checkpoint's record may cross into the next page.
  segment.fill(0, Math.min(used + WAL_PAGE_BYTES, WAL_SEGMENT_BYTES))
  await writeFile(path, segment)
}

/** Sorts files by name first, so that similar files are adjacent and compress well. */
function byName(a: string, b: string): number {
  const left = a.split('/').reverse().join('/')
  const right = b.split('/').reverse().join('/')
  return left < right ? -1 : left > right ? 1 : 0
}

async function pack(folder: string, pglite: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const pathOf = (entry: (typeof entries)[number]) => relative(folder, join(entry.parentPath, entry.name))
  const folders = entries.filter((entry) => entry.isDirectory()).map(pathOf)
  const contents: Buffer[] = []
  const numbers = new Map<string, number>()
  const files: [string, number][] = []
  for (const path of entries
    .filter((entry) => entry.isFile())
    .map(pathOf)
    .sort(byName)) {
    const content = await readFile(join(folder, path))
    const digest = createHash('sha256').update(content).digest('hex')
    const number = numbers.get(digest) ?? contents.push(content) - 1
    numbers.set(digest, number)
    files.push([path, number])
  }
  const head: ArchiveHead = { pglite, folders: folders.sort(), files, sizes: contents.map((c) => c.length) }
  const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...contents])
  return brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  })
}

function versionOfPglite(): string {
  const require = createRequire(import.meta.url)
  const entry = require.resolve('@electric-sql/pglite')
  const { version } = require(join(entry, '../../package.json')) as { version: string }
  return version
}

const temporary = await mkdtemp(join(tmpdir(), 'concordat-initdb-'))
const cluster = join(temporary, 'cluster')
await makeCluster(cluster)
await trimWal(cluster)
const archive = await pack(cluster, versionOfPglite())
await writeFile(new URL('./initial-database.br', import.meta.url), archive)
await rm(temporary, { recursive: true })
process.stdout.write(`initial-database.br: ${archive.length} bytes\n`)
