// SPDX-License-Identifier: Apache-2.0
// Writes a WebM file of one video track: encoded pictures with their times, in the EBML elements that
// players need (RFC 8794, RFC 9559). All sizes are known, because the file is made in memory.

export interface EncodedPicture {
  time: number; // ms
  key: boolean; // can be shown without those before
  data: Uint8Array<ArrayBuffer>;
}

export interface Track {
  codec: 'V_VP8' | 'V_VP9';
  width: number; // px
  height: number;
  duration: number; // ms
}

type Bytes = Uint8Array<ArrayBuffer>;

// Element numbers, with their length marks, as in the registry of Matroska.
const ids = {
  ebml: 0x1a45dfa3, ebmlVersion: 0x4286, ebmlReadVersion: 0x42f7, ebmlMaxIdLength: 0x42f2,
  ebmlMaxSizeLength: 0x42f3, docType: 0x4282, docTypeVersion: 0x4287, docTypeReadVersion: 0x4285,
  segment: 0x18538067, info: 0x1549a966, timestampScale: 0x2ad7b1, duration: 0x4489,
  muxingApp: 0x4d80, writingApp: 0x5741, tracks: 0x1654ae6b, trackEntry: 0xae, trackNumber: 0xd7,
  trackUid: 0x73c5, trackType: 0x83, codecId: 0x86, video: 0xe0, pixelWidth: 0xb0, pixelHeight: 0xba,
  cluster: 0x1f43b675, timestamp: 0xe7, simpleBlock: 0xa3,
} as const;

const clusterSpan = 30_000; // ms; a block's time within its cluster has 16 bits

export function webmFile(track: Track, pictures: EncodedPicture[]): Blob {
  const head = element(ids.ebml, [
    whole(ids.ebmlVersion, 1), whole(ids.ebmlReadVersion, 1), whole(ids.ebmlMaxIdLength, 4),
    whole(ids.ebmlMaxSizeLength, 8), text(ids.docType, 'webm'), whole(ids.docTypeVersion, 4),
    whole(ids.docTypeReadVersion, 2),
  ]);
  const info = element(ids.info, [
    whole(ids.timestampScale, 1_000_000), float(ids.duration, track.duration),
    text(ids.muxingApp, 'vinci'), text(ids.writingApp, 'vinci'),
  ]);
  const tracks = element(ids.tracks, [element(ids.trackEntry, [
    whole(ids.trackNumber, 1), whole(ids.trackUid, 1), whole(ids.trackType, 1),
    text(ids.codecId, track.codec),
    element(ids.video, [whole(ids.pixelWidth, track.width), whole(ids.pixelHeight, track.height)]),
  ])]);
  const segment = element(ids.segment, [info, tracks, ...clusters(pictures)]);
  return new Blob([head, segment], { type: 'video/webm' });
}

// A cluster begins with a key picture.
function clusters(pictures: EncodedPicture[]): Bytes[] {
  const all: Bytes[] = [];
  let begin = 0;
  for (let i = 1; i <= pictures.length; ++i) {
    const ends = i === pictures.length || pictures[i].key ||
        pictures[i].time - pictures[begin].time > clusterSpan;
    if (!ends) continue;
    const start = Math.round(pictures[begin].time);
    const blocks = pictures.slice(begin, i).map((picture) => simpleBlock(picture, start));
    all.push(element(ids.cluster, [whole(ids.timestamp, start), ...blocks]));
    begin = i;
  }
  return all;
}

function simpleBlock(picture: EncodedPicture, start: number): Bytes {
  const offset = Math.round(picture.time) - start;
  const head = Uint8Array.of(0x81, (offset >> 8) & 0xff, offset & 0xff, picture.key ? 0x80 : 0);
  return element(ids.simpleBlock, [head, picture.data]);
}

function element(id: number, parts: Bytes[]): Bytes {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const name = bigEndian(id, id > 0xffffff ? 4 : id > 0xffff ? 3 : id > 0xff ? 2 : 1);
  const size = bigEndian(length, 8);
  size[0] |= 0x01; // eight bytes of size
  return joined([name, size, ...parts]);
}

function whole(id: number, value: number): Bytes {
  return element(id, [bigEndian(value, value > 0xffffffff ? 8 : 4)]);
}

function float(id: number, value: number): Bytes {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return element(id, [bytes]);
}

function text(id: number, value: string): Bytes {
  return element(id, [new TextEncoder().encode(value) as Bytes]);
}

function bigEndian(value: number, length: number): Bytes {
  const bytes = new Uint8Array(length);
  for (let i = length - 1, rest = value; i >= 0; --i, rest = Math.floor(rest / 256)) bytes[i] = rest % 256;
  return bytes;
}

function joined(parts: Bytes[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
