import t from 'tap'
import { followRecipe, recipes, stepsOf } from '../support/recipe.js'
import { scratchCopy } from '../support/scratch-copy.js'
import { call } from '../support/service.js'

t.test('each recipe has at most eight steps', async (t) => {
  for (const recipe of recipes) {
    t.ok(stepsOf(recipe).length > 0, `${recipe} has steps`)
    t.ok(stepsOf(recipe).length <= 8, recipe)
  }
})

t.test('a lint rule', async (t) => {
  const { folder, edit, run } = await scratchCopy(t)
  await followRecipe('Add a lint rule', folder)
  await edit(({ methods }) => {
    Object.assign(methods[0] ?? {}, { summary: 'x'.repeat(121) })
  })
  const { code, out } = await run('lint', folder)
  t.match(out, 'has 121 characters: shorten it to 120')
  t.match(out, 'long-summary')
  t.equal(code, 1)
})

t.test('a dashboard page', async (t) => {
  const { folder, start } = await scratchCopy(t)
  await followRecipe('Add a dashboard page', folder)
  const { origin } = await start({ isChainless: true })
  const front = await (await fetch(origin)).text()
  t.match(front, '<a href="/limits">Limits</a>')
  const response = await fetch(`${origin}/limits`)
  t.equal(response.status, 200)
  t.match(await response.text(), /requestsPerUserPerDay.*25000/)
})

t.test('a method with code', async (t) => {
  const { folder, start } = await scratchCopy(t)
  await followRecipe('Add a method with code', folder)
  const { networks } = await start()
  const { url } = networks.test
  const { gasLimit } = await call(url, 'eth_getBlockByNumber', 'latest', false)
  t.equal(await call(url, 'eth_getBlockGasLimit', 'latest'), gasLimit)
  t.equal(await call(url, 'eth_getBlockGasLimit', '0xfffffff'), null)
  await t.rejects(call(url, 'eth_getBlockGasLimit', 'safe'), { message: /-32602/ })
})
