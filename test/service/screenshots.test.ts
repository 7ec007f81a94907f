import t from 'tap'
import { checkScreenshots, differencesFile } from '../screenshots/check-screenshots.js'
import { axeProblems } from '../support/dashboard.js'

t.test('each page looks as in its stored screenshot, and axe-core finds no violation', async (t) => {
  const changed = await checkScreenshots(t, {
    visit: async (page, name) => {
      const isPhone = page.viewportSize()?.width === 390
      // The other renderings have the same elements in other colours.
      t.same(await axeProblems(page, isPhone ? undefined : 'cat.color'), [], `${name}: axe-core`)
    },
  })
  t.same(
    changed,
    [],
    `the changes are in ${differencesFile}; \`npm run screenshots -- --accept\` accepts them`,
  )
})
