import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { keepPart } from '../../../../../src/service/gateway/dashboard/kept-part.js'

t.test('a page is compressed around the part that is kept', async (t) => {
  const part = '<p>Füße and feet.</p>'.repeat(5_000)
  const kept = keepPart(part)
  for (const page of [part, `<h1>ä</h1>${part}`, `<h1>Ada</h1>${part}<p>bye</p>`]) {
    const packed = await kept.pack(page)
    t.equal(String(gunzipSync(packed)), page)
    t.ok(packed.length < page.length / 20, `${packed.length} bytes`)
  }
})
