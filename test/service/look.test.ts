import t from 'tap'
import { checkPictures, differencesFile } from '../look/check-pictures.js'
import { axeProblems } from '../support/dashboard.js'

t.test('each page looks as in its stored picture, and axe-core finds no violation', async (t) => {
  const changed = await checkPictures(t, {
    visit: async (page, name) => {
      const isPhone = page.viewportSize()?.width === 390
      // The other looks have the same elements in other colours.
      t.same(await axeProblems(page, isPhone ? undefined : 'cat.color'), [], `${name}: axe-core`)
    },
  })
  t.same(changed, [], `the changes are in ${differencesFile}; \`npm run look -- --accept\` accepts them`)
})
