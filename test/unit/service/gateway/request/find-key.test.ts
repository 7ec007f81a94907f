import Fastify from 'fastify'
import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import type { AcceptedKey } from '../../../../../src/service/gateway/keys/index.js'
import { createRefusedAddresses } from '../../../../../src/service/gateway/keys/index.js'
import { createKeyCache, type KnownKey } from '../../../../../src/service/gateway/keys/lookup/key-cache.js'
import { createFindKey } from '../../../../../src/service/gateway/request/index.js'

const ownKey: AcceptedKey = {
  id: 'key_own',
  userId: 'usr_own',
  network: 'test',
  dailyLimit: null,
  monthlyLimit: null,
  userDailyLimit: null,
  access: {},
}

const tooMany = `Too many refused keys from this address: the limit is ${limits.refusedKeysPerAddressPerMinute} a minute`

t.test(
  'who guesses too much asks the database one guess at a time, and known keys ask nothing',
  async (t) => {
    const asked: { digest: string; answer: (found: KnownKey | undefined) => void }[] = []
    const cache = createKeyCache((digest) => new Promise((answer) => asked.push({ digest, answer })), 10)
    const findKey = createFindKey(cache, createRefusedAddresses(1))
    const app = Fastify()
    t.teardown(() => app.close())
    app.post<{ Params: { key: string } }>('/:key', async (request) => (await findKey(request)).id)
    const post = async (key: string) => {
      const { statusCode, body } = await app.inject({ method: 'POST', url: `/${key}` })
      return statusCode === 200 ? body : JSON.parse(body).message
    }
    const answerNext = async (found?: KnownKey) => {
      while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve))
      const { digest, answer } = asked.shift() ?? { digest: '', answer: () => undefined }
      t.equal(asked.length, 0, `${digest} was asked for alone`)
      answer(found)
    }
    const own = post('own')
    await answerNext({ key: ownKey, enabled: true })
    t.equal(await own, 'key_own')
    for (const key of ['first', 'second']) {
      const guess = post(key)
      await answerNext()
      t.match(await guess, key === 'first' ? 'not accepted' : 'Too many')
    }
    const guesses = ['a', 'b', 'c'].map(post)
    t.equal(await post('own'), 'key_own', 'at once, while guesses wait')
    for (const _ of guesses) await answerNext()
    for (const guess of guesses) t.equal(await guess, tooMany)
    const many = Array.from({ length: 20 }, (_, at) => post(`many-${at}`))
    t.equal(await many[19], tooMany, 'is refused without a lookup')
    for (let at = 0; at < 8; at++) await answerNext()
    await Promise.all(many)
    t.equal(asked.length, 0)
    const late = post('late')
    await answerNext({ key: { ...ownKey, id: 'key_late' }, enabled: true })
    t.equal(await late, 'key_late', 'a key that is right is accepted all the same')
  },
)
