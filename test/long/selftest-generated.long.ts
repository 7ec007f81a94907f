/** Proves the power of generated calls on public documents: those of packages, and larger ones where present. */
import { basename } from 'node:path'
import t from 'tap'
import { copyPublicDocuments } from '../support/public-documents.js'
import { runConcordat } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Documents without results that can be changed, or that are incomplete without others. */
const excluded: Readonly<Record<string, string>> = {
  'metrics-openrpc.json': 'it has no methods',
  'empty-openrpc.json': 'it has no methods',
  'recursive-oom-demo.json': 'its only result is a small recursive object',
  'starknet_metadata.json': 'it has no methods',
  'starknet_executables.json': 'a reference has no target',
  'starknet_trace_api_openrpc.json': 'a reference has no target',
  'starknet_write_api.json': 'a reference has no target',
  'starknet_ws_api.json': 'a reference has no target',
}

const { installed, beside } = await copyPublicDocuments(await temporaryFolder(t))
const named = new Map(
  [...installed, ...beside].map((path) => [basename(path).replace(/^ex-/, ''), path] as const),
)

for (const [name, path] of named) {
  if (excluded[name] !== undefined) continue
  t.test(name, async (t) => {
    const { code, out, err } = await runConcordat(['selftest', '--generated', '--contract', path, '--json'])
    const { failed, reached, caught } = JSON.parse(out) as Readonly<
      Record<'failed' | 'reached' | 'caught', number>
    >
    t.comment(
      `${(reached * 100).toFixed(1)} % reached, ${(caught * 100).toFixed(1)} % of the forbidden ones caught`,
    )
    t.equal(failed, 0, 'no false alarm')
    t.equal(code, 0, err)
  })
}
