/**
 * Files of `test/service` that `npm test` runs. All others belong to `npm run test:system`. A file that is added here
 * is short, and proves what a user of the project relies on first.
 */
export const quickFiles: readonly string[] = [
  // A whole run of `conform`, which proves the statements of the contract.
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
