import t from 'tap'
import {
  canonicalPointer,
  joinPath,
  joinPointer,
  pointerTokens,
  valueAt,
} from '../../../../src/toolkit/contract/index.js'

t.test('tokens are joined and split, special characters included', async (t) => {
  const rows: readonly [readonly string[], string][] = [
    [[], '#'],
    [['a'], '#/a'],
    [['a', '0'], '#/a/0'],
    [['a/b', 'm~n'], '#/a~1b/m~0n'],
    [['~1'], '#/~01'],
    [[''], '#/'],
    [['', ''], '#//'],
    [['with space', '日本'], '#/with space/日本'],
    [['__proto__'], '#/__proto__'],
    [['100%', '%41', '%7E1'], '#/100%25/%2541/%257E1'],
  ]
  for (const [tokens, pointer] of rows) {
    t.equal(joinPointer('#', ...tokens), pointer)
    t.same(pointerTokens(pointer), tokens)
  }
})

t.test('percent-encoding is decoded, and invalid pointers are detected', async (t) => {
  t.same(pointerTokens('#/a%20b/%7E1'), ['a b', '/'])
  t.equal(canonicalPointer('#/a%20b'), '#/a b')
  for (const text of ['', 'a', '/a', '#a', 'other.json#/a', '#/%E0%A4%A']) {
    t.equal(pointerTokens(text), undefined, text)
    t.equal(canonicalPointer(text), undefined, text)
  }
})

t.test('a path into a value is not encoded, and a pointer in fragment form is', async (t) => {
  const pointer = joinPath('#/a', '/50%/b~1c')
  t.equal(pointer, '#/a/50%25/b~1c')
  t.same(pointerTokens(pointer), ['a', '50%', 'b/c'])
})

t.test('a pointer resolves to own members and list items only', async (t) => {
  const root = JSON.parse('{"a":[{"b":null}],"":1,"__proto__":{"x":2}}')
  const rows: readonly [readonly string[], unknown][] = [
    [[], root],
    [['a', '0', 'b'], null],
    [[''], 1],
    [['__proto__', 'x'], 2],
    [['constructor'], undefined],
    [['a', 'length'], undefined],
    [['a', '00'], undefined],
    [['a', '1'], undefined],
    [['a', '-'], undefined],
    [['a', '0', 'b', 'c'], undefined],
  ]
  for (const [tokens, want] of rows) t.same(valueAt(root, tokens), want, tokens.join('/'))
})
