/** A whole Tocsin as a process of its own, for benchmarks: prints where it listens and its admin key. */
import { readConfig } from '../../server/config.ts'
import { startTocsin } from '../../server/main.ts'

const tocsin = await startTocsin(readConfig({ ...process.env, TOCSIN_PORT: '0', TOCSIN_LOG_LEVEL: 'error' }))
process.stdout.write(`${JSON.stringify({ apiUrl: tocsin.apiUrl, key: tocsin.adminKey })}\n`)
process.on('SIGTERM', () => void tocsin.close().then(() => process.exit(0)))
