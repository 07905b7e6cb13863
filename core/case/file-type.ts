interface Signature {
  readonly type: string
  readonly bytes: string
  /** Offset of the bytes. */
  readonly at?: number
}

/** Bytes at the beginning of common formats, as hexadecimal. The first that fits counts. */
const signatures: readonly Signature[] = [
  { type: 'application/vnd.microsoft.portable-executable', bytes: '4d5a' },
  { type: 'application/x-elf', bytes: '7f454c46' },
  { type: 'application/x-mach-binary', bytes: 'cffaedfe' },
  { type: 'application/x-mach-binary', bytes: 'cefaedfe' },
  { type: 'application/x-mach-binary', bytes: 'cafebabe' },
  { type: 'application/pdf', bytes: '255044462d' },
  { type: 'application/zip', bytes: '504b0304' },
  { type: 'application/zip', bytes: '504b0506' },
  { type: 'application/x-ole-storage', bytes: 'd0cf11e0a1b11ae1' },
  { type: 'application/gzip', bytes: '1f8b' },
  { type: 'application/x-7z-compressed', bytes: '377abcaf271c' },
  { type: 'application/vnd.rar', bytes: '526172211a07' },
  { type: 'application/x-bzip2', bytes: '425a68' },
  { type: 'application/x-xz', bytes: 'fd377a585a00' },
  { type: 'application/zstd', bytes: '28b52ffd' },
  { type: 'application/x-tar', bytes: '7573746172', at: 257 },
  { type: 'application/x-iso9660-image', bytes: '4344303031', at: 32_769 },
  { type: 'application/x-ms-shortcut', bytes: '4c0000000114020000000000c000000000000046' },
  { type: 'application/vnd.tcpdump.pcap', bytes: 'd4c3b2a1' },
  { type: 'application/vnd.tcpdump.pcap', bytes: 'a1b2c3d4' },
  { type: 'application/x-pcapng', bytes: '0a0d0d0a' },
  { type: 'application/vnd.sqlite3', bytes: '53514c69746520666f726d6174203300' },
  { type: 'application/rtf', bytes: '7b5c727466' },
  { type: 'image/png', bytes: '89504e470d0a1a0a' },
  { type: 'image/jpeg', bytes: 'ffd8ff' },
  { type: 'image/gif', bytes: '47494638' },
  { type: 'text/x-shellscript', bytes: '2321' },
]

/** Bytes that `detectedTypeOf` looks at. */
const detectedFrom = 32_774

/**
 * The type that the first bytes of a file say, for people to compare with its name. Attackers choose these bytes too: nothing may
 * depend on it. Null: an unknown type, such as plain text.
 */
export function detectedTypeOf(head: Uint8Array): string | null {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, detectedFrom))
  const found = signatures.find(
    ({ bytes, at = 0 }) => start.subarray(at, at + bytes.length / 2).toString('hex') === bytes,
  )
  return found?.type ?? null
}
