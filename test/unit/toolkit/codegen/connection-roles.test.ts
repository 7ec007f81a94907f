import { readFile } from 'node:fs/promises'
import t from 'tap'
import { generate } from '../../../../src/toolkit/codegen/index.js'
import type { JsonObject } from '../../../../src/toolkit/contract/index.js'
import { parseContract } from '../../../../src/toolkit/contract/index.js'
import { markdownBlocks } from '../../../support/markdown-blocks.js'
import { tool } from './fixtures.js'

const guide = await readFile(new URL('../../../../docs/backend.md', import.meta.url), 'utf8')
const [extensions = ''] = markdownBlocks(guide, 'Subscriptions and calls to the client', 'json')

const integer = { type: 'integer' }
const id = { name: 'subscription', required: true, schema: { type: 'string' } }
const item = { name: 'result', required: true, schema: integer }
const toClient = { 'x-direction': 'serverToClient' }
const subscription = { notification: 'counted', unsubscribe: 'stop', end: 'ended' }
const count = {
  name: 'count',
  params: [{ name: 'to', required: true, schema: integer }],
  result: { name: 'subscription', schema: { type: 'string' } },
  'x-subscription': subscription,
}
const counted = { name: 'counted', params: [id, item], ...toClient }
const ended = { name: 'ended', params: [id], ...toClient }
const stop = { name: 'stop', params: [id], result: { name: 'stopped', schema: { type: 'boolean' } } }

const cancel = { name: 'cancel', params: [id], 'x-cancels': { id: 'subscription' } }

const serviceOf = (...methods: JsonObject[]): string => {
  const document = {
    openrpc: '1.3.2',
    info: { title: 'T', version: '1' },
    methods,
    ...JSON.parse(extensions),
  }
  const { files } = generate(parseContract(JSON.stringify(document)), tool)
  return files.find(({ path }) => path === 'service.ts')?.content ?? ''
}

t.test('handlers of subscriptions return async iterables, and the client’s methods are typed', async (t) => {
  const text = serviceOf(count, counted, ended, stop)
  t.match(text, 'readonly count: (')
  t.match(text, 'call: HandlerCall<ClientMethods>')
  t.match(text, 'Promise<AsyncIterable<number>> | AsyncIterable<number>')
  const handlers = text.slice(text.indexOf('export interface Handlers'))
  for (const name of ['counted', 'ended', 'stop']) t.notMatch(handlers, `readonly ${name}:`, name)
  const [, client = '', server = ''] = text.split(/export type (?:Client|Server)Methods = /)
  t.match(client, 'readonly counted:')
  t.notMatch(client, 'readonly count:')
  t.match(server, 'readonly item: number')
  t.match(server, 'readonly stop:')
})

t.test('a notification that cancels calls needs no handler', async (t) => {
  const text = serviceOf(count, counted, ended, stop, cancel)
  t.match(text.slice(text.indexOf('ServerMethods')), 'readonly cancel:')
  t.notMatch(text.slice(text.indexOf('export interface Handlers')), 'readonly cancel:')
})

t.test('a contract without connections has no further types', async (t) => {
  const { 'x-subscription': _, ...plain } = count
  t.notMatch(serviceOf(plain), 'ClientMethods')
})

t.test('roles that do not fit are refused at their place', async (t) => {
  const refused: readonly (readonly [string, string, ...JsonObject[]])[] = [
    ['/x-subscription/notification', 'must name a method', count, stop, ended],
    ['/x-subscription/unsubscribe', 'must name a method', count, counted, ended],
    ['/x-subscription/end', 'must name a method', count, counted, stop],
    ['#/methods/1', 'needs 2 parameters', count, { ...counted, params: [id] }, stop, ended],
    ['#/methods/1', 'needs 1 parameters', count, { ...stop, params: [] }, counted, ended],
    ['/x-direction', 'must be one of', { ...ended, 'x-direction': 'sideways' }],
    ['/x-cancels', 'one of its parameters', { ...cancel, 'x-cancels': { id: 'other' } }],
    ['/x-cancels', 'must be of a notification', { ...stop, 'x-cancels': { id: 'subscription' } }],
  ]
  for (const [pointer, message, ...methods] of refused)
    t.throws(() => serviceOf(...methods), { message: new RegExp(`${pointer}.*${message}`) }, message)
})
