import t from 'tap'
import { isJsonBody } from '../../../src/server/http/json-body.js'

t.test('only UTF-8 JSON is accepted', async (t) => {
  const cases: { type: string | undefined; encoding?: string; want: boolean }[] = [
    { type: 'application/json', want: true },
    { type: 'Application/JSON', want: true },
    { type: ' application/json ', want: true },
    { type: 'application/json;charset=utf-8', want: true },
    { type: 'application/json; charset=UTF-8', want: true },
    { type: 'application/json; Charset="Utf-8"', want: true },
    { type: 'application/json ; charset = utf8', want: true },
    { type: 'application/json; version=1', want: true },
    { type: 'application/json;', want: true },
    { type: 'application/json', encoding: 'identity', want: true },
    { type: 'application/json', encoding: 'Identity', want: true },
    { type: undefined, want: false },
    { type: '', want: false },
    { type: 'application/jsonp', want: false },
    { type: 'application/json-rpc', want: false },
    { type: 'application/json, text/plain', want: false },
    { type: 'text/plain', want: false },
    { type: 'text/json', want: false },
    { type: 'application/json; charset=iso-8859-1', want: false },
    { type: 'application/json; charset=utf-16', want: false },
    { type: 'application/json; charset=', want: false },
    { type: 'application/json; charset=utf-8; charset=latin1', want: false },
    { type: 'application/json', encoding: 'gzip', want: false },
    { type: 'application/json', encoding: 'identity, br', want: false },
    { type: 'application/json', encoding: '', want: false },
  ]
  for (const { type, encoding, want } of cases)
    t.equal(isJsonBody(type, encoding), want, `${type} ${encoding}`)
})
