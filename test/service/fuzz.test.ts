import t from 'tap'
import { runFuzz } from '../../lab/fuzz/fuzz.js'

const seed = Number(process.env['FC_SEED'] ?? 3)

t.test('generated requests, bytes, node answers, frames and forms get answers of the contract', async (t) => {
  t.comment(`FC_SEED=${seed}; longer: npm run fuzz -- --inputs 1000000`)
  const { failures, sent } = await runFuzz({ seed, inputs: 3_000, say: (line) => t.comment(line) })
  t.same(failures, [])
  t.ok(sent >= 3_000, `${sent} inputs`)
})
