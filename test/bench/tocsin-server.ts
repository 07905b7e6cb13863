/** A complete Tocsin in its own process, for benchmarks: reports its address and its admin key. */
import { readConfig } from '../../server/config/config.ts'
import { startTocsin } from '../../server/main.ts'
import { answerParent } from './answer-parent.ts'
import { countCommits } from './count-commits.ts'

const commits = countCommits()
const began = performance.now()
const tocsin = await startTocsin(readConfig({ ...process.env, TOCSIN_PORT: '0', TOCSIN_LOG_LEVEL: 'error' }))
process.on('SIGTERM', () => void tocsin.close().then(() => process.exit(0)))
answerParent(
  {
    url: tocsin.url,
    opsUrl: tocsin.opsUrl,
    apiUrl: tocsin.apiUrl,
    key: tocsin.adminKey,
    bootMs: performance.now() - began,
  },
  commits,
)
