/**
 * Files of `test/service` that `npm test` runs; `npm run test:system` runs all others. Add only short files that test
 * what users of the project rely on first.
 */
export const quickFiles: readonly string[] = [
  // A whole run of `conform`, which checks the statements of the contract.
  'test/service/conform/runs.test.ts',
  'test/service/code-paths.test.ts',
  'test/service/daily-limit.test.ts',
  // Journeys in a browser.
  'test/service/dashboard-chainless-browser.test.ts',
  // The toolkit on the sample documents.
  'test/service/init-documents.test.ts',
  'test/service/keys-live.test.ts',
  'test/service/methods.test.ts',
]
