import { readdir } from 'node:fs/promises'
import t from 'tap'
import {
  expectedOutput,
  mustFailIds,
  outputs,
  runMustFail,
} from '../../../conformance/must-fail/must-fail.js'

const ids = await mustFailIds()

for (const id of ids) {
  t.test(`${id} must fail with its expected output`, async (t) => {
    const { code, text } = await runMustFail(t, id)
    t.equal(code, 1)
    t.equal(text, await expectedOutput(id))
  })
}

t.test('every scenario has an output, and every output a scenario', async (t) => {
  t.ok(ids.length >= 10)
  t.same((await readdir(outputs)).sort(), ids.map((id) => `${id.replace('/', '--')}.txt`).sort())
})
