package io.millrace.local.internal.kinesis;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The streams of one account and region, found by name or ARN. Thread-safe. */
final class Streams {
    static final Pattern NAME = Pattern.compile("[a-zA-Z0-9_.-]+");
    static final int NAME_LENGTH_MAX = 128;

    private static final Pattern ARN = Pattern.compile("arn:aws.*:kinesis:.*:\\d{12}:stream/(\\S+)");
    /** AWS's default for provisioned shards in its largest regions. */
    private static final int SHARDS_MAX = 20_000;

    private final String region;
    private final String account;
    private final KinesisErrors errors;
    private final StreamRules rules;
    private final NavigableMap<String, Stream> streamsByName = new TreeMap<>();
    /** The first second for new sequence numbers: above those of deleted streams, so that no number comes twice. */
    private long createdSecondsMin;

    Streams(String region, String account, StreamRules rules) {
        this.region = region;
        this.account = account;
        this.rules = rules;
        this.errors = rules.errors();
    }

    synchronized void create(Stream.NewStream options, long nowMillis) {
        if (streamsByName.containsKey(options.name())) {
            throw errors.streamExists(options.name());
        }
        int current =
                streamsByName.values().stream().mapToInt(Stream::openShardCount).sum();
        if (options.shardCount() > SHARDS_MAX - current) {
            throw errors.shardLimit(region, current, SHARDS_MAX, options.shardCount());
        }
        long createdSeconds = Math.max(Math.floorDiv(nowMillis, 1_000), createdSecondsMin);
        streamsByName.put(options.name(), new Stream(rules, arnOf(options.name()), options, createdSeconds, nowMillis));
    }

    synchronized void delete(RequestMembers request) {
        Stream stream = get(request);
        streamsByName.remove(stream.name());
        createdSecondsMin = Math.max(createdSecondsMin, stream.lastCreatedSeconds() + 1);
    }

    /** The stream that the request's {@code StreamName} or {@code StreamARN} names. */
    synchronized Stream get(RequestMembers request) {
        String name = request.text("StreamName", NAME);
        String arn = request.text("StreamARN", ARN);
        if (name == null && arn == null) {
            throw KinesisErrors.invalidArgument("Either StreamName or StreamARN must be provided.");
        }
        if (name != null && arn != null && !arn.equals(arnOf(name))) {
            throw KinesisErrors.invalidArgument(
                    "StreamARN " + arn + " and StreamName " + name + " do not name the same stream.");
        }
        if (name != null) {
            return get(name);
        }
        String named = nameIn(arn);
        if (named == null) {
            throw errors.streamNotFound(String.valueOf(arn));
        }
        return get(named);
    }

    synchronized Stream get(String name) {
        Stream stream = streamsByName.get(name);
        if (stream == null) {
            throw errors.streamNotFound(name);
        }
        return stream;
    }

    /** The streams whose names come after that one, in the order of their names. */
    synchronized List<Stream> after(String name) {
        return new ArrayList<>(streamsByName.tailMap(name, false).values());
    }

    private String arnOf(String name) {
        return "arn:aws:kinesis:" + region + ":" + account + ":stream/" + name;
    }

    private @Nullable String nameIn(@Nullable String arn) {
        Matcher matcher = ARN.matcher(String.valueOf(arn));
        return matcher.matches() && arnOf(matcher.group(1)).equals(arn) ? matcher.group(1) : null;
    }
}
