/** A group of the sidebar. */
export interface PageGroup {
  readonly title: string
  /** Markdown files, relative to the root of the repository. A name that ends in `/*` stands for all of a folder. */
  readonly sources: readonly string[]
  /** The part of the site that has the group in its sidebar and its search. Default: the part with the guides. */
  readonly part?: 'project'
  /** True if the first page lists the others, and stands for them in the sidebar. */
  readonly hasIndex?: true
}

/**
 * The sidebars of the documentation site, and with them all of its pages, in the order of "Next". The reference stands
 * for a page of each part.
 */
export const pageGroups: readonly PageGroup[] = [
  {
    title: 'Start',
    sources: ['docs/index.md', 'README.md', 'docs/concepts.md', 'docs/packages.md', 'docs/commands.md'],
  },
  {
    title: 'Tutorials',
    sources: ['backend', 'integrator', 'qa', 'operator'].map((name) => `docs/tutorials/${name}.md`),
  },
  { title: 'Questions', sources: ['docs/questions/*'] },
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
    title: 'For integrators',
    sources: ['docs/integrator.md', 'docs/clients.md', 'examples/integrator/README.md'],
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
      'SECURITY.md',
      'SUPPORT.md',
    ],
  },
  { title: 'Reference', sources: ['generated/REFERENCE.md'] },
  {
    title: 'The project',
    part: 'project',
    sources: ['ARCHITECTURE.md', 'docs/extend.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  },
  {
    title: 'Decisions',
    part: 'project',
    hasIndex: true,
    sources: ['docs/decisions/README.md', 'docs/decisions/*'],
  },
]
