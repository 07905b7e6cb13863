import { writeFileSync } from 'node:fs'
import { problemsPage } from './problems-page.ts'

/** Writes docs/problems.md: node test/playbook/write-problems-page.ts */
writeFileSync(new URL('../../docs/problems.md', import.meta.url), problemsPage())
