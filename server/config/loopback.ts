/**
 * Whether a host name or address means this machine: traffic never leaves it, and these names have no other
 * owner.
 */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  return (
    name === '::1' || name === 'localhost' || name.endsWith('.localhost') || /^127(\.\d{1,3}){3}$/.test(name)
  )
}
