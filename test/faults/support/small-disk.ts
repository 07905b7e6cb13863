import { spawnSync } from 'node:child_process'

/**
 * The program and arguments of a launcher that runs `script` and then a command in a private mount namespace.
 */
export const withMounts = (script: string): readonly string[] => [
  'unshare',
  '-rm',
  'sh',
  '-c',
  `${script} && exec "$@"`,
  'sh',
]

/** Whether mounts are permitted here. */
export const canMount =
  process.platform === 'linux' &&
  spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=1m tmpfs /tmp']).status === 0

/** A folder on a separate disk of this many megabytes. */
export const onSmallDisk = (folder: string, megabytes: number): readonly string[] =>
  withMounts(`mkdir -p '${folder}' && mount -t tmpfs -o size=${megabytes}m,mode=700 tmpfs '${folder}'`)
