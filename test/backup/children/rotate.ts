import { readConfig } from '../../../server/config.ts'
import { rotateKey } from '../../../server/rotate-key.ts'
import { somebody } from '../../support/somebody.ts'

/** Rotates the master key of a data directory. */
rotateKey(readConfig({ TOCSIN_DATA_DIR: process.argv[2] }), somebody())
