/** A group of the sidebar. */
export interface PageGroup {
  readonly title: string
  /** Markdown files, relative to the root of the repository. A name that ends in `/*` stands for all of a folder. */
  readonly sources: readonly string[]
}

/** The sidebar of the documentation site, and with it all of its pages. The reference stands for a page of each part. */
export const pageGroups: readonly PageGroup[] = [
  { title: 'Start', sources: ['README.md', 'docs/packages.md'] },
  { title: 'Questions', sources: ['docs/questions/*'] },
  {
    title: 'For integrators',
    sources: ['docs/integrator.md', 'docs/clients.md', 'examples/integrator/README.md'],
  },
  {
    title: 'For backend teams',
    sources: [
      'docs/backend.md',
      'docs/extensions.md',
      'docs/compatibility.md',
      'examples/backend/README.md',
      'examples/emitters/README.md',
    ],
  },
  {
    title: 'For QA engineers',
    sources: [
      'docs/qa.md',
      'conformance/README.md',
      'docs/cases.md',
      'examples/qa/README.md',
      'examples/qa-stdio/README.md',
      'examples/ci/README.md',
    ],
  },
  {
    title: 'For operators',
    sources: [
      'docs/operator.md',
      'docs/runbook.md',
      'deploy/README.md',
      'docs/settings.md',
      'docs/reliability.md',
      'examples/operator/README.md',
    ],
  },
  { title: 'Reference', sources: ['generated/REFERENCE.md'] },
  {
    title: 'The project',
    sources: [
      'ARCHITECTURE.md',
      'docs/extend.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'SUPPORT.md',
      'CHANGELOG.md',
    ],
  },
  { title: 'Decisions', sources: ['docs/decisions/*'] },
]
