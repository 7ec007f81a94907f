import t from 'tap'
import { spendRequests } from '../../../../src/cli/selftest/spend-requests.js'
import { httpServer } from '../../judge/send/servers.js'

type Test = Parameters<typeof httpServer>[0]

/**
 * A service that answers with these statuses in turn, and repeats the last one. It records the sizes of its requests.
 */
async function service(t: Test, ...statuses: readonly number[]) {
  const sizes: number[] = []
  const url = await httpServer(t, async (request, response) => {
    let text = ''
    for await (const piece of request.setEncoding('utf8')) text += piece
    const status = statuses[Math.min(sizes.length, statuses.length - 1)] ?? 200
    sizes.push(JSON.parse(text).length)
    response.writeHead(status, { 'retry-after': '0' }).end('[]')
  })
  return { url, sizes }
}

t.test('the requested number of requests is sent in the largest possible batches', async (t) => {
  const { url, sizes } = await service(t, 200)
  await spendRequests(url, 2_500)
  t.same(sizes, [1_000, 1_000, 500])
})

t.test('a batch that could not be charged is sent again', async (t) => {
  const { url, sizes } = await service(t, 200, 503, 503, 200)
  await spendRequests(url, 1_500)
  t.same(sizes, [1_000, 500, 500, 500])
})

t.test('missing requests are reported', async (t) => {
  for (const status of [503, 401]) {
    const { url, sizes } = await service(t, status)
    await t.rejects(spendRequests(url, 1), {
      name: 'UsageError',
      message: `the embedded service answered a batch with status ${status}`,
    })
    t.equal(sizes.length, status === 503 ? 10 : 1)
  }
})
