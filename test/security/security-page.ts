import { chapters, type Lesson } from './lessons.ts'

const introduction = `# Security

What Tocsin promises, and the tests that would fail where it were not so. This page is made from \`test/security/lessons.ts\`; a test keeps it equal, and
every test that it names there. How to report a weakness: [SECURITY.md](../SECURITY.md).

Tocsin does not end TLS: a proxy in front of it does ([operations](operations.md#tls-behind-a-proxy)). It trusts the operator: whoever can write to its data directory, its
playbooks folder or its environment decides what it does. It trusts playbooks to be written by people who may isolate machines, and checks what they say; it does not trust alerts,
nor what other systems answer.
`

/** The text of docs/security.md, before it is formatted. */
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
