package io.millrace.local.internal.kinesis;

import io.millrace.local.internal.AwsServiceException;

/** Where the next page of a listing begins, good for five minutes: after a stream, or after a shard of a stream. */
record PageToken(String stream, int afterShardIndex, ShardFilter filter, long issuedMillis) {
    private static final long LIFETIME_MILLIS = 300_000;

    static PageToken decode(String text, long nowMillis) {
        PageToken token = Tokens.read(text, in -> {
            String stream = in.readUTF();
            int afterShardIndex = in.readInt();
            ShardFilter filter = new ShardFilter(ShardFilter.Type.valueOf(in.readUTF()), in.readLong());
            return new PageToken(stream, afterShardIndex, filter, in.readLong());
        });
        if (token == null) {
            throw KinesisErrors.invalidArgument("Invalid NextToken.");
        }
        if (nowMillis - token.issuedMillis > LIFETIME_MILLIS) {
            throw AwsServiceException.client(
                    "ExpiredNextTokenException",
                    "The pagination token is older than " + LIFETIME_MILLIS + " milliseconds; list from the start.");
        }
        return token;
    }

    String encode() {
        return Tokens.write(out -> {
            out.writeUTF(stream);
            out.writeInt(afterShardIndex);
            out.writeUTF(filter.type().name());
            out.writeLong(filter.millis());
            out.writeLong(issuedMillis);
        });
    }
}
