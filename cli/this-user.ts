import { userInfo } from 'node:os'
import type { Actor } from '../core/domain/audit.ts'

/** The user who runs the command, for the audit log: name, or number if it has no name. */
export function thisUser(): Actor {
  const name = nameOf()
  return { kind: 'command', id: name, name, requestId: null }
}

function nameOf(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
