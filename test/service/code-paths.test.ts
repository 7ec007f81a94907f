import t from 'tap'
import { compareCodePath, readAllowedCodePaths } from '../../lab/bench/allowed-code-paths.js'
import { codePathNames, measureCodePaths } from '../../lab/bench/code-paths.js'
import '../support/plain-children.js'

const allowed = readAllowedCodePaths()

t.test('no code path has more source files than lab/bench/code-paths.json', async (t) => {
  const { codePaths, pathToRequest } = await measureCodePaths({ withDepth: false })
  for (const name of codePathNames) {
    const { files } = codePaths[name]
    t.ok(files.length > 20, `${name}: files were seen`)
    const change = compareCodePath(name, allowed.codePaths[name], files)
    if (change?.isLonger === true) t.fail(change.text)
    else if (change !== undefined) t.comment(change.text)
  }
  t.ok(pathToRequest.length > 1, 'functions lie between runConformance and the request')
})
