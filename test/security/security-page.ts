import { chapters } from './lessons.ts'
import type { Lesson } from './lessons/lesson.ts'

const introduction = `# Security

For security reviewers and operators: what Tocsin guarantees, and the tests that check each guarantee.

This page is generated from \`test/security/lessons.ts\`; a test checks the page and the test titles on it. To report a vulnerability, see
[SECURITY.md](../SECURITY.md).

Tocsin does not terminate TLS; put [a proxy](operations.md#tls-behind-a-proxy) in front. It trusts the operator: anyone who can write to its data directory, its
playbooks folder or its environment controls it. It trusts authors of playbooks to decide about actions such as isolating machines, and checks their playbooks. It does not
trust alerts, or the answers of other systems.
`

/** The text of docs/security.md before formatting. */
export function securityPage(): string {
  const parts = chapters.map(({ title, text = '', lessons }) =>
    [`## ${title}`, text, ...lessons.map(lessonText)].filter((part) => part !== '').join('\n\n'),
  )
  return `${introduction}\n${parts.join('\n\n')}\n`
}

function lessonText({ promise, text = '', proofs }: Lesson): string {
  const tests = proofs.flatMap(([file, ...titles]) =>
    titles.map((title) => `- \`${file}\`: ${title.trim()}${title.endsWith(' ') ? ' …' : ''}`),
  )
  return [`**${promise}**`, text, tests.join('\n')].filter((part) => part !== '').join('\n\n')
}
