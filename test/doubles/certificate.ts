import { generateKeyPairSync, sign } from 'node:crypto';

export interface Certificate {
  /** Both as PEM. */
  readonly key: string;
  readonly cert: string;
}

const SEQUENCE = 0x30;
const SET = 0x31;
const OID_ECDSA_SHA256 = '2a8648ce3d040302';
const OID_COMMON_NAME = '550403';
const OID_ALTERNATIVE_NAMES = '551d11';

/** Creates a self-signed certificate for these names. `until`: its last year. */
export function makeCertificate(names: readonly string[], until = 2_099): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const algorithm = der(SEQUENCE, oid(OID_ECDSA_SHA256));
  const subject = der(
    SEQUENCE,
    der(SET, der(SEQUENCE, oid(OID_COMMON_NAME), der(0x0c, Buffer.from(names[0] ?? 'nobody')))),
  );
  const alternatives = der(SEQUENCE, ...names.map((name) => der(0x82, Buffer.from(name))));
  const content = der(
    SEQUENCE,
    // Version 3 and a serial number.
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    subject,
    der(SEQUENCE, beginOf(2_000), beginOf(until)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(SEQUENCE, der(SEQUENCE, oid(OID_ALTERNATIVE_NAMES), der(0x04, alternatives)))),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', content, privateKey)]);
  const cert = der(SEQUENCE, content, algorithm, der(0x03, signature)).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${cert.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}

function beginOf(year: number): Buffer {
  return der(0x18, Buffer.from(`${year}0101000000Z`));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

/** Tag, length, content: lengths here have at most two bytes. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
