/**
 * Creates service.test.ts of the sample project.
 * @param contract the name of the contract's package
 */
export const sampleTest = (contract: string) => `import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createServer } from '@concordat/server'
import { createClient, isRpcError } from '${contract}/client'
import { methods } from '${contract}/methods'
import { handlers } from './handlers.js'
import type { Caller } from './parts.js'

const context = () => ({ name: 'tester' })
const server = await createServer<Caller>({ methods, handlers, context }).listen({ port: 0 })
const client = createClient(server.url)
after(() => server.close())

test('a task is added, found, and done', async () => {
  const task = await client.tasks.add('Buy milk')
  assert.equal(task.priority, 'normal')
  assert.deepEqual(await client.tasks.get(task.id), task)
  const completed = await client.tasks.complete({ id: task.id })
  assert.notEqual(completed.doneAt, null)
  assert.deepEqual(await client.tasks.list({ done: true }), [completed])
})

test('an unknown task is null and cannot be completed', async () => {
  assert.equal(await client.tasks.get(1000), null)
  await assert.rejects(
    client.tasks.complete({ id: 1000 }),
    (error) => isRpcError(error, 'noSuchTask') && error.data?.id === 1000,
  )
})

test('invalid parameters never reach a handler', async () => {
  await assert.rejects(client.tasks.add(''), (error) => isRpcError(error, 'invalidParams'))
})
`
