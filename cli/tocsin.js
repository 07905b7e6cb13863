#!/usr/bin/env node
// The one file that every Node can read: it finds a Node that runs TypeScript (22.18 or later), then hands over to main.ts.
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants, homedir } from 'node:os'
import * as nodeModule from 'node:module'
import { dirname, isAbsolute, join } from 'node:path'

// By default, SIGUSR1 opens the inspector: anyone who may send it could run code with all keys. A listener
// replaces that, in every Node.
process.on('SIGUSR1', () => {})

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

/** Set for the Node that this file hands over to. */
const wrapped = 'TOCSIN_WRAPPED'

if (major > 22 || (major === 22 && minor >= 18)) {
  keepCompiledModules()
  if (process.env[wrapped] !== undefined) {
    delete process.env[wrapped]
    endWithWrapper()
  }
  const { main } = await import('./main.ts')
  process.exitCode = await main(process.argv.slice(2))
} else {
  runWithPinnedNode()
}

/**
 * In the cache folder of this user, so that the next start is quicker; NODE_COMPILE_CACHE names another folder. Not in
 * the shared temporary folder, Node's default: another user of the machine could put code there.
 */
function keepCompiledModules() {
  try {
    const folder = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'tocsin')
    if (!isAbsolute(folder)) return
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    nodeModule.enableCompileCache?.(folder)
  } catch {
    // A user without a home, or one that cannot write there.
  }
}

/** npm scripts and npx find the pinned Node by themselves; this is for direct calls of `tocsin`. */
function runWithPinnedNode() {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  let folder
  try {
    folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
  } catch {
    process.stderr.write(
      `tocsin needs Node 22.18 or later; this is ${process.version}, and the package ${name} that would bring Node 24 is not installed.\n` +
        'Install a newer Node, or run `npm ci` with optional dependencies on Linux (x64, arm64) or Windows (x64).\n',
    )
    process.exit(1)
  }
  const node = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  // The channel closes with this process, however it ends: also by SIGKILL, which nothing can pass on.
  const child = spawn(node, ['--disable-sigusr1', ...process.argv.slice(1)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [wrapped]: '1' },
  })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', ...(process.platform === 'win32' ? [] : ['SIGQUIT'])]
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    process.stderr.write(`tocsin cannot start ${node}: ${error.message}\n`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    if (signal === null || process.platform === 'win32') process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
    // Where this process was started with the signal ignored.
    setTimeout(() => process.exit(128 + constants.signals[signal]), 1_000)
  })
}

/** Ends this process, as SIGTERM does, as soon as its parent process has ended. */
function endWithWrapper() {
  const end = () => process.kill(process.pid, 'SIGTERM')
  if (!process.connected) return end()
  process.on('disconnect', end)
  // Else commands would not end by themselves.
  process.channel?.unref()
}
