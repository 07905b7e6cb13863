import { formatProblem } from '../../core/errors/source-frame.ts'
import { problemCatalogue, type ProblemCode } from '../../core/playbook/language/problem-catalogue.ts'
import { badPlaybooks, problemsOf } from './bad-playbooks.ts'

const sections: Readonly<Record<string, string>> = {
  E0: 'The file',
  E1: 'YAML and keys',
  E2: 'Expressions',
  E3: 'Steps, skills and values',
  W4: 'Warnings',
  I5: 'Advice',
  E6: 'Tests of playbooks',
  W6: 'Warnings about tests',
  E7: 'Several playbooks',
  W7: 'Warnings about several playbooks',
  E8: 'Declarative plugins',
  W8: 'Warnings about declarative plugins',
}

const introduction = `# Problems in playbooks and plugins

Everything \`tocsin validate\` can say about a playbook, \`tocsin test\` about its tests, and the loading of plugins about a
\`plugin.yaml\`. \`E\` problems keep the file from being
used, \`W\` are probably mistakes, \`I\` is advice. A code never changes its meaning. Lines and columns count from 1, columns in
UTF-16 code units, as editors count.

A test generates this page. Each problem has an example playbook with the reported error.
`

/** The content of docs/problems.md. */
export function problemsPage(): string {
  let section = ''
  const entries = Object.entries(problemCatalogue).map(([code, { title, explanation }]) => {
    const own = sections[code.slice(0, 2)] ?? ''
    const heading = own === section ? '' : `\n## ${own}\n`
    section = own
    return `${heading}\n### ${code}: ${title}\n\n${explanation}\n\n\`\`\`\n${shown(code as ProblemCode)}\n\`\`\`\n`
  })
  return introduction + entries.join('')
}

function shown(code: ProblemCode): string {
  const { source } = badPlaybooks[code]
  const problem = problemsOf(badPlaybooks[code]).find((each) => each.code === code)
  if (problem === undefined) throw new Error(`the bad playbook of ${code} does not have it`)
  return formatProblem(problem, typeof source === 'string' ? source : new TextDecoder().decode(source))
}
